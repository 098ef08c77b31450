// Recorded on a development stack.

export const powerExample = {
  vaultId: '01a1ffab-8344-7827-bd78-57c678beaaf0',
  staked: 271428.571429,
  stakedBaseUnits: '271428571429',
  votingPower: 271428.571429,
  votingPowerBaseUnits: '271428571429',
  usedPower: 271428.571429,
  usedPowerBaseUnits: '271428571429',
};
