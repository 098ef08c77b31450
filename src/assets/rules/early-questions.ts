/**
 * Limits the requests whose questions go to the ledger and the price source before it is known whether Postgres or the wallet's
 * holdings refuse them. Each request that was right to ask allows another one to ask early, so that those who are refused can never
 * make the service ask in vain more often than others have asked with reason.
 */
export interface EarlyQuestions {
  /** Whether a request may ask early; it then counts as one that asked in vain, until it turns out to be right. */
  readonly begin: () => boolean;
  /** Records that a request was right to ask. */
  readonly wasRight: (hasAskedEarly: boolean) => void;
}

/** Requests that may ask in vain in a row. */
const MAX_IN_VAIN = 20;

export function createEarlyQuestions(): EarlyQuestions {
  let allowed = 0;
  return {
    begin() {
      if (allowed === 0) return false;
      allowed -= 1;
      return true;
    },
    wasRight(hasAskedEarly) {
      allowed = Math.min(MAX_IN_VAIN, allowed + (hasAskedEarly ? 2 : 1));
    },
  };
}
