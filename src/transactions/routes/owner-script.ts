import { z } from 'zod';
import type { DepositGuard } from '../../assets/queries/deposits.ts';
import { paymentKeyHashOf } from '../../cardano/scripts/address.ts';
import { scriptCbor, scriptJson, type ScriptJson } from '../../cardano/scripts/native-script.ts';
import { type ScriptAddress, depositAddressOf, stakeAddressOf } from '../../cardano/scripts/script-addresses.ts';
import type { NetworkId } from '../../cardano/transaction.ts';
import { evictOldest } from '../../platform/async.ts';
import { Timestamp } from '../../platform/http/fields.ts';
import { type Instant, isoText } from '../../platform/units/time.ts';

/** A script as everybody can check it; see docs/guides/leaving.md. */
export const ScriptFields = z.object({
  address: z.string().describe('Address of the script.'),
  cbor: z.string().describe('Script in CBOR, in hex. `tools/leave.mjs` reads it.'),
  json: z
    .looseObject({ type: z.string() })
    .describe('Script in the JSON form of cardano-cli, which builds the same address from it.'),
});

/** The fields of a resource with a script, as they are written. */
export type PresentedScript<Fields> = Omit<Fields, 'json'> & { readonly json: ScriptJson };

export function presentScript({ script, address }: ScriptAddress): PresentedScript<z.input<typeof ScriptFields>> {
  return { address, cbor: scriptCbor(script), json: scriptJson(script) };
}

const verification =
  'Script that guards a deposit or a stake. With it, the owner can leave without the service.\n\n' +
  'To verify that the address is yours: build `address` from `json` (`cardano-cli address build ' +
  '--payment-script-file`). Compare it with the address in the transaction that your wallet shows. Then find the ' +
  'key hash of your wallet in `json`: the payment part of your address (CIP-19). `node tools/leave.mjs show` does ' +
  'all this.';

/** See docs/guides/leaving.md. */
export const OwnerScript = ScriptFields.extend({
  ownerAloneFrom: Timestamp.describe('From this time on, the key of the owner alone can spend from the address.'),
  slot: z.int().describe('`ownerAloneFrom` as the ledger slot in the script.'),
}).meta({ id: 'OwnerScript', description: verification });

type OwnerScriptFields = PresentedScript<z.input<typeof OwnerScript>>;

/** The fields of a resource with the script of its owner, as they are written. */
export type WithOwnerScript<Fields, Name extends keyof Fields = 'ownerScript' & keyof Fields> = Omit<Fields, Name> &
  Readonly<Record<Name, OwnerScriptFields | Extract<Fields[Name], null>>>;

/** The script of an owner's deposits in a vault (design D20). */
export function depositOwnerScript(guard: DepositGuard, owner: string, networkId: NetworkId): OwnerScriptFields {
  const { settlementKeyHash, settlesBySlot, settlesBy } = guard;
  const presented = remembered(`deposit ${networkId} ${settlementKeyHash} ${settlesBySlot} ${owner}`, () =>
    depositAddressOf(guard, paymentKeyHashOf(owner), networkId),
  );
  return fieldsOf(presented, settlesBySlot, settlesBy);
}

/** The script of an owner's stake (design D24). */
export function stakeOwnerScript(
  vaultKeyHash: string,
  stake: { readonly wallet: string; readonly releaseSlot: number; readonly ownerAloneFrom: Instant },
  networkId: NetworkId,
): OwnerScriptFields {
  const { releaseSlot, ownerAloneFrom, wallet } = stake;
  const presented = remembered(`stake ${networkId} ${vaultKeyHash} ${releaseSlot} ${wallet}`, () =>
    stakeAddressOf({ vaultKeyHash }, { ownerKeyHash: paymentKeyHashOf(wallet), releaseSlot }, networkId),
  );
  return fieldsOf(presented, releaseSlot, ownerAloneFrom);
}

/** A kB each. A script follows from what it is remembered by; to compute one is an eighth of what a list costs. */
const MAX_REMEMBERED = 2_000;
const scripts = new Map<string, PresentedScript<z.input<typeof ScriptFields>>>();

function remembered(name: string, guarded: () => ScriptAddress) {
  const known = scripts.get(name);
  if (known !== undefined) return known;
  const presented = presentScript(guarded());
  scripts.set(name, presented);
  evictOldest(scripts, MAX_REMEMBERED);
  return presented;
}

function fieldsOf(presented: ReturnType<typeof remembered>, slot: number, ownerAloneFrom: Instant): OwnerScriptFields {
  return { ...presented, ownerAloneFrom: isoText(ownerAloneFrom), slot };
}
