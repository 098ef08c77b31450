/** An entry of the audit chain: its hash stands for all entries up to it. */
export interface AuditHead {
  /** Number of the entry, from 1. */
  readonly seq: string;
  /** Hex. */
  readonly hash: string;
}

/** What is anchored of the audit log. The shape never changes, because proofs are made over it. */
export function auditHeadPayload({ seq, hash }: AuditHead) {
  return { kind: 'audit_log', seq, hash } as const;
}

/** The entry that an anchored text is about; null for the text of another fact. */
export function parseAuditHead(text: string): AuditHead | null {
  const { kind, seq, hash } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  return kind === 'audit_log' && typeof seq === 'string' && typeof hash === 'string' ? { seq, hash } : null;
}
