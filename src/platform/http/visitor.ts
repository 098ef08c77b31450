import type { Caller } from '../../access/rules/caller.ts';
import { ipOf } from './client-address.ts';

/** Who sends requests. */
export interface Visitor {
  /** As requests are counted: a key alone may be in many hands. */
  readonly name: string;
  readonly ip: string;
}

export function visitorOf(request: Parameters<typeof ipOf>[0], { apiKeyId, wallet }: Caller): Visitor {
  const ip = ipOf(request);
  return { name: `${apiKeyId} ${wallet ?? ip}`, ip };
}
