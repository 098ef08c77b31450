import { z } from 'zod';
import { type CustodyGuard, custodyScript } from '../../cardano/scripts/vault-scripts.ts';
import { isoText } from '../../platform/units/instant.ts';
import { Timestamp } from '../../platform/http/fields.ts';
import { type PresentedScript, presentScript, ScriptFields } from '../../transactions/routes/script-fields.ts';

/** The script that guards the custody of a vault, with which its cosigners take it over if the vault's key is lost; see docs/leaving.md. */
export const CustodyScript = ScriptFields.extend({
  cosignersAloneFrom: Timestamp.nullable().describe(
    'From this time on, `requiredCosigners` of the registered cosigners can spend from the address without the key of the ' +
      'vault; `null` if the vault registered none',
  ),
  slot: z.int().nullable().describe('`cosignersAloneFrom` as the ledger slot in the script'),
}).meta({ id: 'CustodyScript' });

type CustodiedVault = CustodyGuard & { readonly contractAddress: string };

export function presentCustodyScript(vault: CustodiedVault): PresentedScript<z.input<typeof CustodyScript>> {
  const alone = vault.cosigners?.alone;
  return {
    ...presentScript({ script: custodyScript(vault), address: vault.contractAddress }),
    cosignersAloneFrom: alone ? isoText(alone.from) : null,
    slot: alone?.fromSlot ?? null,
  };
}
