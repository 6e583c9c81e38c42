"""The corrected resampled t test: a mean over folds whose training sets overlap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from edgeworth.common.arrays import Floats
from edgeworth.errors import InputError


@dataclass(frozen=True)
class ResampledMean:
    """The mean of a measure, or of a difference, over folds, as a statement about the next training set."""

    mean: float
    deviation: float
    """The standard deviation between folds."""
    standard_error: float
    """The corrected one: between folds, times the root of ``1/J + n_test/n_train``."""
    folds: int

    @classmethod
    def of(cls, values: Floats, test_to_train: float) -> ResampledMean:
        """Compute the mean of J folds, and its standard error by Nadeau and Bengio.

        Parameters
        ----------
        values : array
            One value per fold. Folds in which a measure is undefined are nan, and are left out.
        test_to_train : float
            The number of test cases divided by that of training cases.

        Notes
        -----
        ``variance = (1/J + n_test/n_train) s²``. The naive ``s²/J`` treats folds as independent, which they
        are not: they share training data. No unbiased estimate of the variance exists (Bengio and Grandvalet
        2004). Source: Nadeau and Bengio 2003, Inference for the generalization error, Machine Learning 52.

        Examples
        --------
        >>> ResampledMean.of(np.array([0.1, 0.3]), 0.5)
        ResampledMean(mean=0.2, deviation=0.1414213562373095, standard_error=0.1414213562373095, folds=2)
        """
        defined = values[~np.isnan(values)]
        if len(defined) < 2:
            raise InputError(f"the spread between folds needs two or more of them; saw {len(defined)}")
        deviation = float(defined.std(ddof=1))
        error = deviation * float(np.sqrt(1 / len(defined) + test_to_train))
        return cls(float(defined.mean()), deviation, error, len(defined))

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the interval from Student's t with J − 1 degrees of freedom."""
        from scipy.special import stdtrit

        width = float(stdtrit(self.folds - 1, (1 + level) / 2)) * self.standard_error
        return self.mean - width, self.mean + width

    def p_value(self) -> float:
        """Return the two-sided p-value for a mean of 0; nan if all folds agree, which leaves no spread."""
        from scipy.special import stdtr

        if self.standard_error == 0:
            return float("nan")
        return 2 * float(stdtr(self.folds - 1, -abs(self.mean / self.standard_error)))
