// A worker made from the text of the library, since files cannot start one from a file.

/** Ask for jobs to be done aside; a new job of the same kind replaces the one before. */
export class Helper {
  constructor(library) {
    const source = `"use strict";\n(${library})().jobs.listen(self);`;
    this.url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    this.workers = new Map();
    this.lastId = 0;
  }

  /** Do a job; the promise never settles if a newer job of its kind comes first. */
  ask(kind, job) {
    this.cancel(kind);
    const worker = new Worker(this.url);
    const id = (this.lastId += 1);
    this.workers.set(kind, worker);
    return new Promise((settle, fail) => {
      worker.onmessage = ({ data }) => {
        if (data.id !== id) return;
        this.cancel(kind);
        settle(data.result);
      };
      worker.onerror = (error) => fail(new Error(error.message));
      worker.postMessage({ id, job });
    });
  }

  cancel(kind) {
    this.workers.get(kind)?.terminate();
    this.workers.delete(kind);
  }
}
