import { z } from 'zod';
import { changeWalletRoles } from '../../change-wallet-roles.ts';
import { parseWalletAddress } from '../../../cardano/scripts/address.ts';
import { walletRoles } from '../../rules/roles.ts';
import { findWalletRoles } from '../../queries/wallet-roles.ts';
import { RoleEnum } from '../api-keys/resource.ts';
import { type ApiContext, route } from '../../../api-context.ts';
import { Enveloped, enveloped } from '../../../platform/http/envelope.ts';
import { exampleWallet } from '../../../transactions/routes/example-wallet.ts';
import { AddressText } from '../../../platform/http/fields.ts';
import { ok } from '../../../platform/http/route-response.ts';
import { runOnce } from '../../../platform/http/run-once.ts';

const WalletRoles = z
  .object({
    walletAddress: z.string(),
    roles: z.array(RoleEnum).describe('Roles that the wallet was given'),
    effectiveRoles: z
      .array(RoleEnum)
      .describe(
        'Roles of its sessions: those it was given, PARTICIPANT, and those that this deployment gives every wallet',
      ),
  })
  .meta({
    id: 'WalletRoles',
    examples: [
      { walletAddress: exampleWallet, roles: ['VAULT_CREATOR'], effectiveRoles: ['PARTICIPANT', 'VAULT_CREATOR'] },
    ],
  });

const walletParams = z.strictObject({ address: AddressText });

export const readWalletRolesRoute = route({
  method: 'get',
  path: '/wallets/:address/roles',
  operationId: 'readWalletRoles',
  summary: 'Read the roles of a wallet',
  description:
    'The wallet has them while it is logged in, together with the permissions of the API key of the request.',
  permission: { resource: 'role', action: 'READ' },
  params: walletParams,
  responses: { 200: Enveloped(WalletRoles) },
  errors: ['INVALID_ADDRESS', 'WRONG_NETWORK'],
  async handle({ params }, context) {
    const wallet = walletOf(params.address, context);
    return ok(presentRoles(context, wallet, await findWalletRoles(context.db, wallet)));
  },
});

export const replaceWalletRolesRoute = route({
  method: 'put',
  path: '/wallets/:address/roles',
  operationId: 'replaceWalletRoles',
  summary: 'Give a wallet its roles',
  description:
    'Replaces the roles that the wallet was given before; its sessions have the new ones at once. Nobody can give or take ' +
    'away a role with permissions that they lack themselves.',
  success: 'The roles of the wallet',
  permission: { resource: 'role', action: 'UPDATE' },
  params: walletParams,
  examples: { vaultCreator: { roles: ['VAULT_CREATOR'] } },
  body: z.strictObject({ roles: z.array(RoleEnum).max(10) }).meta({ id: 'ReplaceWalletRoles' }),
  responses: { 200: Enveloped(WalletRoles) },
  errors: ['INVALID_ADDRESS', 'WRONG_NETWORK'],
  async handle({ params, body, caller, idempotency }, context) {
    const wallet = walletOf(params.address, context);
    const roles = [...new Set(body.roles)];
    const response = await runOnce(context, idempotency, async (transaction) => {
      await changeWalletRoles(transaction, { wallet, roles, caller, now: context.wallClock.now() });
      return ok(presentRoles(context, wallet, roles));
    });
    context.authenticator.forget({ kind: 'wallet', wallet });
    return response;
  },
});

function walletOf(address: string, { networkId }: ApiContext): string {
  return parseWalletAddress(address, networkId, 'address').address;
}

function presentRoles({ authenticator, wallClock }: ApiContext, walletAddress: string, roles: readonly string[]) {
  const effectiveRoles = [...new Set([...walletRoles, ...authenticator.defaultWalletRoles, ...roles])];
  return enveloped({ walletAddress, roles, effectiveRoles }, wallClock.now());
}
