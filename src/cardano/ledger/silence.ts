/** So many calls in a row without any response: the ledger hangs, rather than one of its answers. */
const SILENT_AFTER = 5;
/** So many calls then ask whether it responds again. */
const PROBES = 3;

/**
 * Returns how to call a ledger. While it does not respond, all but a few calls are refused at once: each would hold what it waits with,
 * such as a place among the activities of a worker, until its time is up, and what needs no ledger would wait behind it. A call
 * rejects when it gets no response.
 */
export function createSilence(): <Result>(call: () => Promise<Result>) => Promise<Result> {
  let unanswered = 0;
  let underWay = 0;
  return async (call) => {
    if (unanswered >= SILENT_AFTER && underWay >= PROBES) throw new Error('the ledger does not respond at present');
    underWay += 1;
    try {
      const result = await call();
      unanswered = 0;
      return result;
    } catch (error) {
      unanswered += 1;
      throw error;
    } finally {
      underWay -= 1;
    }
  };
}
