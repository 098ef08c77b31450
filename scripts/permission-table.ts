/** `npm run generate:permissions`: writes docs/reference/permissions.md from the routes and the roles. A test compares the two. */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { conditionsOf, isPermitted, permissionsOf, roles } from '../src/access/rules.ts';
import { apiRoutes } from '../src/routes.ts';
import type { ApiContext } from '../src/api-context.ts';
import type { Route } from '../src/platform/http/route.ts';

export const permissionsFile = fileURLToPath(new URL('../docs/reference/permissions.md', import.meta.url));

type Rule = Pick<Route<ApiContext>, 'permission'>;

/** What a caller with only this role may do: `yes`, `no`, or the condition, such as `own: true`. */
export function accessOf(role: string, { permission: rule }: Rule): string {
  if ('unrestricted' in rule) return 'yes';
  const held = permissionsOf([role]);
  if (isPermitted(held, rule)) return 'yes';
  const conditions = rule.isConditional ? conditionsOf(held, rule) : [];
  return (
    conditions.flatMap((each) => Object.entries(each).map(([field, value]) => `${field}: ${String(value)}`))[0] ?? 'no'
  );
}

/** The document: a row for each operation, a column for each role. */
export async function permissionsDocument(): Promise<string> {
  const header = ['Operation', 'Permission', ...roles];
  const rows = apiRoutes.api.map((route) => {
    const { method, path, permission: rule } = route;
    const required = 'unrestricted' in rule ? 'none' : `${rule.resource}:${rule.action}`;
    const operation = `\`${method.toUpperCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}\``;
    return [operation, required, ...roles.map((role) => accessOf(role, route))];
  });
  const reasons = apiRoutes.api.flatMap(({ operationId, permission: rule }) =>
    'unrestricted' in rule ? [`- \`${operationId}\`: ${rule.unrestricted}.`] : [],
  );
  const lines = [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  const text = [introduction, ...lines, '', unrestricted, ...reasons, ''].join('\n');
  return format(text, { ...(await resolveConfig(permissionsFile)), parser: 'markdown' });
}

const introduction = `# Permissions

This table shows which roles allow each operation. Paths are relative to \`/api/v1\`, and every operation needs an API key.

- A key has the permissions of its roles, and those that are listed with the key.
- A session adds those of its wallet: the role PARTICIPANT, the roles that an ADMIN gave it, and \`DEFAULT_WALLET_ROLES\`.
- The service also checks whose vault, asset or vote it is. To act for a wallet, you need its session or the permission \`wallet:UPDATE\`.

A cell is \`yes\`, \`no\`, or a condition. \`own: true\` means what belongs to the wallet of the session, or to its vault. \`status: ACTIVE\`
means a vault with this status. \`npm run generate:permissions\` writes this file from the routes and \`src/access/rules.ts\`.
`;

const unrestricted = `## Operations without a permission
`;

if (import.meta.main) await writeFile(permissionsFile, await permissionsDocument());
