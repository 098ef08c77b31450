/** The outcome of every life, whatever disturbs it: as that of one that nothing disturbs. */
export const undisturbed = {
  status: 'TERMINATED',
  holds: [],
  supply: '1000000000000',
  failed: 'TERMINATED',
  lines: [
    'asset RELEASED handed_over',
    'asset RELEASED removed',
    'asset RELEASED sold',
    'claim 475000000000 PAID',
    'entitlement 237500000000 135000000',
    'entitlement 237500000000 135000000',
    'entitlement 475000000000 0',
    'investment 20000000 REFUNDED refunded',
    'investment 300000000 SETTLED',
    'investment 50000000 REFUNDED removed',
    'proposal EXECUTED',
    'proposal EXECUTED',
    'stake 1000000000 released',
    'stake 300000000000 released',
    'stake 300000000000 released',
  ],
};
