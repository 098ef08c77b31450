import { expect } from '@jest/globals';
import type { TestStack } from '../stack/test-stack.ts';
import { until } from '../stack/until.ts';
import { holdings, type Person } from '../vault-lifecycle/participants.ts';
import { readVault } from '../vault-lifecycle/vault-requests.ts';

interface RotationRead {
  readonly id: string;
  readonly status: string;
  readonly contractAddress: string;
  readonly steps: readonly { readonly status: string; readonly transactionHash: string | null }[];
}

/** The newest rotation of a vault. */
export async function newestRotation({ api }: Pick<TestStack, 'api'>, vaultId: string): Promise<RotationRead> {
  const { body } = await api.get<{ data: { rotations: RotationRead[] } }>(`/vaults/${vaultId}/rotations`);
  const [newest] = body.data.rotations;
  if (!newest) throw new Error('there is no rotation');
  return newest;
}

export const isFinished = async (stack: Pick<TestStack, 'api'>, vaultId: string) =>
  (await newestRotation(stack, vaultId)).status === 'finished';

/** The hash of the move that waits for cosigners, other than `except`; null when none does. */
async function awaitedMove(stack: TestStack, vaultId: string, except: string | null): Promise<string | null> {
  const moving = (await newestRotation(stack, vaultId)).steps.at(-1);
  const isAwaited = moving?.status === 'waiting_for_cosigners' && moving.transactionHash !== except;
  return isAwaited ? moving.transactionHash : null;
}

/** As `awaitedMove`, once there is one. */
export function unsignedMove(stack: TestStack, vaultId: string, except: string | null = null): Promise<string> {
  const what = 'a move to wait for cosigners';
  return until(() => awaitedMove(stack, vaultId, except), { what, deadlineMs: 60_000 });
}

/** Waits for a move that waits for cosigners, other than `except`, and signs it; returns its hash. */
export function signMove(stack: TestStack, vaultId: string, cosigner: Person, except: string | null = null) {
  const sign = async () => {
    const hash = await unsignedMove(stack, vaultId, except);
    const { body } = await stack.api.get<{ data: { unsignedTx: string } }>(`/transactions/${hash}`);
    const witness = { witnessSet: cosigner.sign(body.data.unsignedTx) };
    const answer = await stack.api.post<{ error?: { code: string } }>(`/transactions/${hash}/witnesses`, witness);
    // After a move of the clock it is over before the service has put another one in its place.
    if (answer.body.error?.code === 'TRANSACTION_EXPIRED') return null;
    expect(answer).toMatchObject({ status: 200 });
    return hash;
  };
  return until(sign, { what: 'a move that can still be signed', deadlineMs: 60_000 });
}

/** A cosigner signs every move of a rotation, until it has finished. */
export async function signMoves(stack: TestStack, vaultId: string, cosigner: Person): Promise<void> {
  let signed: string | null = null;
  const next = async () => (await isFinished(stack, vaultId)) || awaitedMove(stack, vaultId, signed);
  while ((await until(next, { what: 'a move, or the end of the rotation', deadlineMs: 60_000 })) !== true)
    signed = await signMove(stack, vaultId, cosigner, signed);
}

/** Begins a rotation at once, as if the key of a vault were compromised: its cosigners stay. */
export async function rotateNow({ api }: Pick<TestStack, 'api'>, vaultId: string): Promise<void> {
  const rotation = { reason: 'A lost backup', compromised: true };
  expect(await api.post(`/vaults/${vaultId}/rotations`, rotation)).toMatchObject({ status: 201 });
}

/** Waits for the end of a rotation, which leaves nothing at the custody of before; returns the present one and what it holds. */
export async function rotatedCustody(stack: Pick<TestStack, 'api' | 'ledger'>, vaultId: string, before: string) {
  await until(() => isFinished(stack, vaultId), { what: 'the rotation', deadlineMs: 60_000 });
  const { contractAddress: custody } = await readVault(stack, vaultId);
  expect(custody).not.toBe(before);
  expect(custody).toBe((await newestRotation(stack, vaultId)).contractAddress);
  expect(await holdings(stack, before)).toEqual(new Map());
  return { custody, held: await holdings(stack, custody) };
}
