/** The outcome of every life, whatever disturbs it: as that of one that nothing disturbs. */
export const undisturbed = {
  status: 'TERMINATED',
  holds: [],
  supply: '1000000000000',
  lines: [
    'asset RELEASED removed',
    'asset RELEASED sold',
    'claim 475000000000 PAID',
    'claim 475000000000 PAID',
    'entitlement 475000000000 0',
    'entitlement 475000000000 270000000',
    'investment 300000000 SETTLED',
    'investment 50000000 REFUNDED removed',
    'proposal EXECUTED',
    'stake 1000000000 released',
    'stake 300000000000 released',
    'stake 300000000000 released',
  ],
};
