export const rotationExample = {
  id: '01a2c4d6-5d1e-7f20-8a3b-4c5d6e7f8091',
  vaultId: '01a1ffab-8344-7827-bd78-57c678beaaf0',
  status: 'running' as const,
  reason: 'Yearly rotation',
  compromised: false,
  contractAddress: 'addr_test1wqag3rt979nep9g2wtdwu8mr4gz6m4kjdpp5zp705km8wys6t2kla',
  vaultKeyHash: '5c1d0e8f7b6a493827160594837261504f3e2d1c0b9a8f7e6d5c4b3a',
  cosignerKeyHashes: [],
  requiredCosigners: null,
  announcedAt: '2026-12-14T08:02:11.301Z',
  startsAt: '2026-12-17T08:02:11.301Z',
  finishedAt: null,
  cancelledAt: null,
  steps: [
    { name: 'notice' as const, status: 'done' as const, transactionHash: null, finalTransactions: 0, at: '2026-12-17T08:02:11.640Z' }, // prettier-ignore
    { name: 'end_executions' as const, status: 'done' as const, transactionHash: null, finalTransactions: 0, at: '2026-12-17T08:02:12.018Z' }, // prettier-ignore
    {
      name: 'move_outputs' as const,
      status: 'running' as const,
      transactionHash: '5c1d0e8f7b6a493827160594837261504f3e2d1c0b9a8f7e6d5c4b3a29180716',
      finalTransactions: 1,
      at: '2026-12-17T08:02:44.000Z',
    },
  ],
};
