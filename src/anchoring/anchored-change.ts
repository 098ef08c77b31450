/** A change that is anchored: its fact, and the anchor transaction that carries it. */
export interface AnchoredChange {
  readonly factId: string;
  readonly transactionHash: string;
}
