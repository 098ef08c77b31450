/** Which output of which transaction. */
export interface UtxoRef {
  readonly txHash: string;
  readonly index: number;
}

/** One text for one output, as queries make it too: `<hash>#<index>`. */
export function refText({ txHash, index }: UtxoRef): string {
  return `${txHash}#${index}`;
}
