import { lifetime, type Rule } from '../rule.ts';

/** Wallets alone sign it: whatever rows say, the operator's own wallet neither invests nor stakes, which would give its ADA away. */
export const ofWallets: Rule<object> = {
  keys: [],
  mayCarry: [],
  lifetimeSeconds: lifetime.requested,
  judge: () => undefined,
};
