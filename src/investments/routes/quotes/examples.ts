// Recorded on a development stack.

export const quoteExample = {
  lovelace: '200000000',
  ft: '475000',
  ftBaseUnits: '475000000000',
  settles: true,
  minVaultValue: '520400000',
  returnReason: null,
  reason: null,
  figures: {
    value: '650500000',
    invested: '200000000',
    fdv: '400000000',
    reserveRequired: '65050000',
    reserveMet: true,
    lpLovelace: '20000000',
    lpFt: '50000000000',
  },
};
