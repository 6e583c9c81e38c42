"""How to read the measures of labels that people use most, and when not to use them."""

from __future__ import annotations

from edgeworth.core.measures import Guidance

INFORMEDNESS = Guidance(
    reads_as="An informedness of 0.22 means: the model does as well as one that knows the answer in 22% "
    "of the cases and guesses in the other 78%.",
    latex=r"B = \sum_l p_l \left( \text{recall}_l - \text{fallout}_l \right)",
    use_when="Accuracy, precision and F depend on how common each class is, so a model that always "
    "predicts the common class looks good. Such a model has informedness 0. For two classes, "
    "informedness is recall minus fallout (Youden's J), and it stays the same if the class shares change "
    "between your test set and production. For more classes it can change.",
    avoid_when=(
        "**Costs are known and unequal.** Use `--costs` and report the expected cost.",
        "**Only one class matters and negatives are not counted**, as in search. Use [average "
        "precision](average-precision.md).",
        "**Two labels are exchanged systematically.** Informedness can be 0 although predictions and "
        "outcomes are strongly related. [Mutual information](mutual-information.md) shows this.",
    ),
)
MARKEDNESS = Guidance(
    reads_as="A markedness of 0.24 means: seeing the prediction instead of its opposite raises the "
    "probability of the predicted class by 24 percentage points.",
    latex=r"M = \sum_l r_l \left( \text{precision}_l - \text{false omission rate}_l \right)",
    use_when="Informedness asks how well reality shows in the predictions. Markedness asks how far you "
    "can trust a prediction once you have it. Report both if both directions matter.",
    avoid_when=(
        "**Test set and production have different class shares.** Markedness changes with them. "
        "[Informedness](informedness.md) of two classes does not.",
        "**A label is rarely predicted.** Its precision rests on few cases, and the interval is wide.",
    ),
)
ACCURACY = Guidance(
    reads_as="An accuracy of 0.90 means: 90% of the predictions are right.",
    latex=r"\text{accuracy} = \frac{\sum_l \text{hits}_l}{\text{cases}}",
    use_when="Every error costs the same, the classes are about equally common, and readers expect a "
    "percentage.",
    avoid_when=(
        "**One class is common.** If 90% of the cases are negative, always predicting negative has "
        "accuracy 0.90. Compare with the chance level, or use [informedness](informedness.md).",
        "**Errors differ in cost.** Use `--costs`.",
    ),
)
BALANCED_ACCURACY = Guidance(
    reads_as="A balanced accuracy of 0.60 means: averaged over the classes, 60% of the cases of a class "
    "are recognised.",
    latex=r"\frac{1}{C} \sum_{l=1}^{C} \text{recall}_l",
    use_when="Every class should count the same, however rare it is. For two classes it is (1 + "
    "[informedness](informedness.md)) / 2.",
    avoid_when=(
        "**A reader compares it across numbers of classes.** Its chance level is 1 over the number of "
        "classes: 0.60 is weak for two classes and strong for ten.",
        "**A class has few cases.** Its recall is uncertain and has the same weight as the others. Look "
        "at the interval.",
    ),
)
MCC = Guidance(
    reads_as="An MCC of 0.22 is a correlation of 0.22 between predicted and actual classes. For two "
    "classes, its square is the product of informedness and markedness.",
    latex=r"\frac{TP \cdot TN - FP \cdot FN}{\sqrt{(TP+FP)(TP+FN)(TN+FP)(TN+FN)}}",
    use_when="You want one number that is high only if all four cells of the table are good, and readers "
    "know it. The formula is for two classes; more classes use Gorodkin's form.",
    avoid_when=(
        "**You need to say what a value means.** A correlation has no reading in cases. "
        "[Informedness](informedness.md) has one.",
        "**Class shares differ between data sets.** MCC changes with them, so values are not comparable.",
    ),
)
KAPPA = Guidance(
    reads_as="A kappa of 0.21 means: the agreement lies 21% of the way from chance agreement to perfect "
    "agreement.",
    latex=r"\kappa = \frac{\text{accuracy} - \sum_l p_l r_l}{1 - \sum_l p_l r_l}",
    use_when="Two raters labelled the same cases, and neither is the truth. Kappa treats both alike.",
    avoid_when=(
        "**One of the two is the truth.** Use [informedness](informedness.md): kappa also changes with how "
        "common each class is.",
        "**Class shares differ between studies.** The same skill gives a lower kappa if a class is rare.",
    ),
)
MACRO_F = Guidance(
    reads_as="A macro F1 of 0.60 is the average of the F1 of all classes. Each class has the same weight.",
    latex=r"\frac{1}{K} \sum_{l=1}^{K} F_l",
    use_when="A benchmark prescribes it.",
    avoid_when=(
        "**You can choose.** Its chance level depends on how often each label is predicted, so values "
        "are hard to compare. Use [informedness](informedness.md).",
        "**A class is rare.** One hit more or less moves the average.",
    ),
)
RECALL = Guidance(
    reads_as="A recall of 0.82 means: of the cases that really belong to the class, 82% were found.",
    latex=r"\text{recall} = \frac{TP}{TP + FN}",
    use_when="Missing a case is what matters, as in screening. Recall does not depend on how common the "
    "class is.",
    avoid_when=(
        "**You report it alone.** Predicting the class for every case has recall 1. Report "
        "[precision](precision.md) or [fallout](fallout.md) beside it.",
        "**You compare systems that predict the class more or less often.** The chance level of recall "
        "is the share of cases that are predicted to belong to the class.",
    ),
)
PRECISION = Guidance(
    reads_as="A precision of 0.74 means: of the cases that were predicted to belong to the class, 74% "
    "really do.",
    latex=r"\text{precision} = \frac{TP}{TP + FP}",
    use_when="Acting on a prediction is expensive, so false alarms matter.",
    avoid_when=(
        "**You report it alone.** Predicting the class once, in the clearest case, has precision 1. Report "
        "[recall](recall.md) beside it.",
        "**The class is rarer in production than in the test set.** Precision falls with it. Pass "
        "`--prevalence` with scores to see how far.",
    ),
)
FALLOUT = Guidance(
    reads_as="A fallout of 0.05 means: of the cases that do not belong to the class, 5% raised a false "
    "alarm.",
    latex=r"\text{fallout} = \frac{FP}{FP + TN}",
    use_when="You want to know how often a case outside the class raises a false alarm. Fallout does not "
    "depend on how common the class is.",
    avoid_when=(
        "**The class is rare.** A fallout of 1% can mean that most alarms are false. Look at "
        "[precision](precision.md) too.",
        "**You report it alone.** Never predicting the class has fallout 0.",
    ),
)
SPECIFICITY = Guidance(
    reads_as="A specificity of 0.95 means: of the cases that do not belong to the class, 95% were rightly "
    "not predicted to belong to it.",
    latex=r"\text{specificity} = \frac{TN}{TN + FP}",
    use_when="Readers come from medicine, where sensitivity and specificity are reported together.",
    avoid_when=(
        "**You report it alone.** Never predicting the class has specificity 1. Report [recall](recall.md), "
        "which is sensitivity, beside it.",
        "**The class is rare.** A specificity of 99% can still mean that most alarms are false.",
    ),
)
F = Guidance(
    reads_as="An F1 of 0.78 is the harmonic mean of precision and recall. It lies nearer to the smaller "
    "of the two.",
    latex=r"F_1 = \frac{2 \cdot \text{precision} \cdot \text{recall}}{\text{precision} + \text{recall}}",
    use_when="Only one class matters, its negatives are not counted, and a benchmark prescribes it. "
    "`f[spam](beta=2)` weighs recall higher.",
    avoid_when=(
        "**Both classes matter.** F ignores the cases that were rightly not predicted. Use "
        "[informedness](informedness.md).",
        "**You compare data sets.** F rises with the share of the class. Always predicting a class with "
        "a share of 90% has an F of 0.95.",
    ),
)
JACCARD = Guidance(
    reads_as="A Jaccard index of 0.64 means: predicted and actual cases of the class overlap in 64% of "
    "their union.",
    latex=r"\frac{TP}{TP + FP + FN}",
    use_when="Segments or sets are compared, as in image segmentation.",
    avoid_when=(
        "**You already report F1.** Jaccard is F / (2 − F), so it ranks systems the same way.",
        "**Cases that were rightly not predicted matter.** They are not counted.",
    ),
)
LIFT = Guidance(
    reads_as="A lift of 1.09 means: among the predicted cases, the class is 9% more common than among "
    "all cases.",
    latex=r"\text{lift} = \frac{\text{precision}}{\text{prevalence}}",
    use_when="You select cases for a campaign and compare with selecting at random.",
    avoid_when=(
        "**You compare data sets.** The largest possible lift is 1 over the prevalence, so a common "
        "class cannot have a high lift.",
        "**Few cases are selected.** The ratio is uncertain. Look at the interval.",
    ),
)
MUTUAL_INFORMATION = Guidance(
    reads_as="Mutual information of 0.03 bits means: a prediction removes 0.03 bits of the uncertainty "
    "about the class.",
    latex=r"\sum_{l,k} j_{lk} \log_2 \frac{j_{lk}}{p_l r_k}",
    use_when="Labels may be exchanged or unnamed, as with clusters. It sees any relation between "
    "prediction and class.",
    avoid_when=(
        "**Right and wrong matter.** A model that is always wrong in the same way has high mutual "
        "information. Use [informedness](informedness.md).",
        "**The table is large and the sample is small.** It is biased upwards.",
    ),
)
ADJUSTED_RAND = Guidance(
    reads_as="An adjusted Rand index of 0.09 means: pairs of cases are put together or apart rightly, 9% "
    "of the way from chance to perfect.",
    use_when="Clusters without names are compared with classes.",
    avoid_when=(
        "**Clusters have names.** Use [informedness](informedness.md), or `--match` to name them first.",
        "**Classes have very different sizes.** Pairs within the largest class dominate.",
    ),
)
