import { createLedger } from '../../src/cardano/ledger/ledger.ts';
import { deriveKeys } from '../../src/cardano/keys/keys.ts';
import { mintOfTerms } from '../../src/signing-policy/evidence/confirmed-mint.ts';
import { committedPlan } from '../../src/signing-policy/evidence/settlement.ts';
import { gatherSettledVault } from '../../src/signing-policy/evidence/settled-vault.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { canaries } from '../secrets/canaries.ts';
import type { TestStack } from '../stack/test-stack.ts';

/** The plan that the mint of a vault has committed to, as a worker that has just started finds it in the rows. */
export async function planOnLedger(stack: TestStack, vaultId: string) {
  await using cleanup = new AsyncDisposableStack();
  const db = cleanup.adopt(
    openDatabase(stack.databaseUrl, () => undefined, 1),
    (opened) => opened.destroy(),
  );
  const ledger = createLedger({ baseUrl: `${stack.ledger.url}/api/v0`, timeoutMs: 5000 });
  const keys = deriveKeys(canaries.operatorMnemonic, 0);
  const settled = await gatherSettledVault({ db, ledger, keys, networkId: 0 }, { vaultId });
  await mintOfTerms({ db, ledger }, settled);
  return await committedPlan({ db, ledger }, settled);
}
