import type { AnchoringContext } from '../../anchoring/anchors.ts';
import type { Caller } from '../../access/rules/caller.ts';
import { readVault } from '../read-vault.ts';
import type { Precondition } from '../../platform/http/conditional.ts';
import type { ApiContext } from '../../api-context.ts';
import { enveloped } from '../../platform/http/envelope.ts';
import type { Idempotency } from '../../platform/http/idempotency.ts';
import type { RecordedResponse } from '../../platform/http/recorded-response.ts';
import { recordOnce } from '../../platform/http/run-once.ts';
import { presentVaultDetail } from './read-vault.ts';
import { vaultRules } from './record-rules.ts';

/** A list of 1,000 addresses is 110 kB. */
export const LIST_BODY_LIMIT = 150_000;

export const vaultChangeErrors = [
  'VAULT_NOT_FOUND',
  'VAULT_ALREADY_ENDED',
  'SETTING_NOT_CHANGEABLE',
  'FREE_ACTIONS_USED_UP',
  'INVALID_ADDRESS',
  'WRONG_NETWORK',
  'SERVICE_NOT_READY',
] as const;

interface VaultChangeRequest {
  readonly vaultId: string;
  readonly caller: Caller;
  readonly idempotency: Idempotency;
  readonly precondition: Precondition;
}

/**
 * Changes a vault once, and only if it is as the caller has read it: its batch keeps others from changing it meanwhile. Throws
 * PRECONDITION_FAILED.
 */
export async function recordVaultChange<Response extends RecordedResponse>(
  api: Pick<ApiContext, 'anchors' | 'db' | 'encryption' | 'readingTime'>,
  { vaultId, caller, idempotency, precondition }: VaultChangeRequest,
  change: (context: AnchoringContext) => Promise<Response>,
): Promise<Response> {
  const rules = await vaultRules(api, vaultId);
  return recordOnce(api, { idempotency, ...rules }, async (context) => {
    const { tx: db, now } = context;
    await precondition.requireUnchanged(async () => {
      const reading = { db, encryption: api.encryption, readingTime: () => Promise.resolve(now) };
      return enveloped(presentVaultDetail(await readVault(reading, caller, vaultId)), now);
    });
    return change(context);
  });
}
