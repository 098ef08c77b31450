import { z } from 'zod';
import { rotateApiKey } from '../../issue-api-key.ts';
import { route } from '../../../api-context.ts';
import { Enveloped, enveloped } from '../../../platform/http/envelope.ts';
import { StartText } from '../../../platform/http/fields.ts';
import { created } from '../../../platform/http/route-response.ts';
import { futureInstant, presentIssued } from './create-api-key.ts';
import { ApiKeyId, IssuedApiKey } from './resource.ts';

const DAY_SECONDS = 24 * 60 * 60;

const RotateApiKey = z
  .strictObject({
    overlapSeconds: z
      .int()
      .min(0)
      .max(30 * DAY_SECONDS)
      .describe('How long the old key stays valid, at most 30 days; one day by default, 0 ends it at once')
      .default(DAY_SECONDS),
    expiresAt: StartText.describe(
      'Of the new key, in real time; without it the new key expires when the old one would have. Never after the end of the key that ' +
        'rotates it',
    ).optional(),
  })
  .meta({ id: 'RotateApiKey' });

export const rotateApiKeyRoute = route({
  method: 'post',
  path: '/api-keys/:keyId/rotate',
  operationId: 'rotateApiKey',
  summary: 'Replace an API key by a new one with the same roles and permissions',
  description:
    'Both keys are valid during the overlap, so that clients can change to the new one without an interruption. A key is ' +
    'rotated once; rotate the new one next time. Only callers who have every role and permission of the key may do this.',
  success: 'The new key, for the only time',
  permission: { resource: 'apiKey', action: 'UPDATE' },
  params: z.strictObject({ keyId: ApiKeyId }),
  examples: { withinAnHour: { overlapSeconds: 3600 } },
  body: RotateApiKey,
  // A stored response would contain the key in clear text.
  idempotent: false,
  responses: { 201: Enveloped(IssuedApiKey) },
  errors: ['API_KEY_NOT_FOUND', 'API_KEY_ENDED', 'API_KEY_ALREADY_ROTATED'],
  async handle({ params: { keyId }, body, caller }, { unitOfWork, authenticator, wallClock }) {
    const now = wallClock.now();
    const rotation = { id: keyId, overlapSeconds: body.overlapSeconds, expiresAt: futureInstant(body.expiresAt, now) };
    const data = await unitOfWork(async (context) => {
      const { id, text } = await rotateApiKey(context, rotation, { caller, now });
      return presentIssued(context.tx, id, text, now);
    });
    authenticator.forget({ kind: 'key', id: keyId });
    return created(enveloped(data, now));
  },
});
