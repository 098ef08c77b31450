/** An output of a transaction. */
export interface UtxoRef {
  readonly txHash: string;
  readonly index: number;
}

/** An output as text, `<hash>#<index>`; queries build the same text. */
export function refText({ txHash, index }: UtxoRef): string {
  return `${txHash}#${index}`;
}
