import type { TestStack } from '../stack/test-stack.ts';
import type { Person } from '../vault-lifecycle/participants.ts';
import type { Traits } from './traits.ts';

type Stack = Pick<TestStack, 'root' | 'sql'>;

/** A vault with registered cosigners, or without any. */
interface Cosigned {
  readonly vaultId: string;
  readonly cosigners: readonly Person[];
  readonly traits: Pick<Traits, 'requiredCosigners'>;
}

/** Kinds of the service's own transactions that can spend from custody. */
export const custodyKinds = [
  'return_unsolicited',
  'move_custody',
  'move_kept',
  'gather_pot',
  'hand_over',
  'close_vault',
];

/**
 * The registered cosigners of these lives sign what the service has built and cannot send without them, as many as have to. Throws when
 * that fails, as it may: then it is built again, or waits for them still.
 */
export async function cosignAll(stack: Stack, lives: readonly Cosigned[]): Promise<void> {
  for (const life of lives) if (life.cosigners.length > 0) await cosign(stack, life);
}

async function cosign({ root, sql }: Stack, { vaultId, cosigners, traits }: Cosigned): Promise<void> {
  const rows = await sql.run<{ hash: string }>`select hash from chain_transactions
      where vault_id = ${vaultId} and kind = any(${custodyKinds}) and state = 'awaiting_signatures'`;
  for (const { hash } of rows) {
    // Not by the client that insists: what has ended meanwhile is refused for good.
    const path = `/api/v1/transactions/${hash}`;
    const { body } = await root.get<{ data: { unsignedTx: string } }>(path);
    for (const { sign } of cosigners.slice(0, traits.requiredCosigners)) {
      const answer = await root.post(`${path}/witnesses`, { witnessSet: sign(body.data.unsignedTx) });
      if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    }
  }
}
