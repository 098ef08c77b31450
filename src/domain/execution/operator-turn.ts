/** Executions that wait for signatures while they spend outputs of the operator: those of one type in a vault, and all. */
export interface WaitingExecutions {
  readonly ofVault: number;
  readonly all: number;
}

/** What waits in one vault stops no other; all together leave the operator half of the outputs that it keeps ready. */
const MOST = { ofVault: 3, all: 25 } satisfies WaitingExecutions;

/** Whether one more may hold an output of the operator, for days perhaps. */
export function mayHoldOperatorOutput({ ofVault, all }: WaitingExecutions): boolean {
  return ofVault < MOST.ofVault && all < MOST.all;
}
