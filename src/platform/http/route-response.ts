import type { AuditEntry } from '../../access/queries/audit-log.ts';
import { compressed } from './compressed.ts';
import { type SentBody, sentBody } from './conditional.ts';

/** The response of an operation: its HTTP status, and its body as it is sent. */
export interface RouteResponse<Status extends number = number, Body = unknown> {
  readonly status: Status;
  readonly body: Body;
  readonly headers?: Readonly<Record<string, string>>;
  /** The token of a session that the response gives to the caller. */
  readonly issuedSession?: string;
  /** `body` as it is sent, for a body that never changes. */
  readonly sent?: SentBody;
  /** Whose personal data it shows, for the audit log: each read is noted. */
  readonly personalDataOf?: AuditEntry['resource'];
}

export const ok = <const Body>(body: Body): RouteResponse<200, Body> => ({ status: 200, body });
/** Every response with this body is the same: it is serialized and compressed now, and not again. */
export const constant = <const Body>(body: Body): RouteResponse<200, Body> => {
  const sent = sentBody(body);
  return { ...ok(body), sent: { ...sent, compressed: compressed(sent.text) } };
};
export const created = <const Body>(body: Body): RouteResponse<201, Body> => ({ status: 201, body });
export const noContent = (): RouteResponse<204, undefined> => ({ status: 204, body: undefined });
