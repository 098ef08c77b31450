import type { NetworkId } from '../../cardano/transaction.ts';
import { fieldError } from '../../platform/errors/errors.ts';
import type { RotationRequest } from '../announce-rotation.ts';
import { parseCosigners } from './parse-cosigners.ts';
import type { AnnouncedRotation } from './request.ts';

/** What a request asks for. Throws what `parseCosigners` throws. */
export function parseRotation(body: AnnouncedRotation, networkId: NetworkId): RotationRequest {
  const { vaultId, reason, newKey, compromised: isUrgent } = body;
  requireConsistent(body);
  return { vaultId, reason, newKey, isUrgent, cosigners: parseCosigners(body, networkId) };
}

function requireConsistent({
  newKey,
  cosigners,
  leavingCosigners,
  requiredCosigners,
  compromised,
}: AnnouncedRotation): void {
  if (!newKey && !cosigners) throw refusal('newKey', 'Nothing would change');
  if (!newKey && compromised) throw refusal('newKey', 'A compromised key has to be replaced');
  if (!cosigners && (requiredCosigners ?? leavingCosigners) !== undefined)
    throw refusal('cosigners', 'Name the cosigners, too');
  if (cosigners && compromised) throw refusal('cosigners', 'Cosigners change with notice only');
}

function refusal(field: string, message: string) {
  return fieldError('INVALID_REQUEST', field, message);
}
