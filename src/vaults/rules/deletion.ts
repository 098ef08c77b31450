/** What keeps a vault from being deleted: somebody would lose it, or it is still under way (design D39). */
export type DeletionObstacle =
  | 'deposits'
  | 'stakes'
  | 'proposals'
  | 'transactions'
  | 'unsolicited_outputs'
  | 'quarantine'
  /** An output at the custody, settlement, liquidity or claims address. */
  | 'value_on_ledger';
