/** What a subscriber follows: a vault, a proposal, what concerns a wallet, or everything. */
export type Topic =
  | { readonly kind: 'vault'; readonly id: string }
  | { readonly kind: 'proposal'; readonly id: string }
  | { readonly kind: 'wallet'; readonly id: string }
  | { readonly kind: 'all' };

/** What decides the topics of an event. */
interface EventSubject {
  readonly vaultId: string | null;
  /** The wallet that acted, or `platform`. */
  readonly actor: string;
  /** Other wallets that it concerns. */
  readonly wallets: readonly string[];
  readonly data: object;
}

/** The name of a topic, unique among all topics. */
export function topicName(topic: Topic): string {
  return topic.kind === 'all' ? 'all' : `${topic.kind}:${topic.id}`;
}

/** The names of the topics that an event belongs to, each once. */
export function topicNamesOf({ vaultId, actor, wallets, data }: EventSubject): string[] {
  const { proposalId } = data as { proposalId?: unknown };
  const concerned = new Set(actor === 'platform' ? wallets : [actor, ...wallets]);
  return [
    'all',
    ...(vaultId === null ? [] : [topicName({ kind: 'vault', id: vaultId })]),
    ...(typeof proposalId === 'string' ? [topicName({ kind: 'proposal', id: proposalId })] : []),
    ...[...concerned].map((id) => topicName({ kind: 'wallet', id })),
  ];
}
