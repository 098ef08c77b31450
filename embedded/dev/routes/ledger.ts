import { z } from 'zod';
import { ok } from '../../../src/platform/http/route.ts';
import { route } from '../../../src/api-context.ts';
import { FaultSettings } from '../../ledger/faults.ts';
import { type Development, developerPermission } from '../development.ts';

export const rollBackLedger = ({ ledgerControls }: Development) =>
  route({
    method: 'post',
    path: '/ledger/rollback',
    operationId: 'devRollBackLedger',
    summary: 'Roll back the last blocks',
    description:
      'Removes the transactions of the last blocks from the ledger, as a fork does. The service undoes their ' +
      'effects, and submits transactions again that are still valid.',
    success: 'The new tip of the ledger',
    examples: { two: { blocks: 2 } },
    permission: developerPermission('UPDATE'),
    kind: 'unrecorded change',
    body: z.strictObject({ blocks: z.int().min(1).max(2160) }),
    responses: { 200: z.object({ height: z.int(), slot: z.int(), hash: z.string() }) },
    errors: ['LEDGER_UNAVAILABLE', 'LEDGER_SWITCH_REFUSED'],
    async handle({ body }) {
      return ok(await ledgerControls.rollback(body.blocks));
    },
  });

export const setLedgerFaults = ({ ledgerControls }: Development) =>
  route({
    method: 'post',
    path: '/ledger/faults',
    operationId: 'devSetLedgerFaults',
    summary: 'Set the faults of the ledger',
    description:
      'Replaces the current faults. An empty object ends them. A number is how many of the next submissions ' +
      'fail. `drop` accepts and forgets them, and `all: down` rejects every call.',
    success: 'The current faults',
    examples: { busy: { submit429: 2 }, none: {} },
    permission: developerPermission('UPDATE'),
    kind: 'unrecorded change',
    body: FaultSettings,
    responses: { 200: FaultSettings },
    errors: ['LEDGER_UNAVAILABLE', 'LEDGER_SWITCH_REFUSED'],
    async handle({ body }) {
      return ok(await ledgerControls.setFaults(body));
    },
  });
