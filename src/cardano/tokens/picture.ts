/** The picture of every vault, unless the deployment has one of its own. Small enough to be pinned whole in metadata. */
export const vaultPicture =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="12" fill="#0b2545"/>' +
  '<g fill="none" stroke="#f4d35e" stroke-width="4"><circle cx="32" cy="32" r="18"/><path d="M32 20v24M20 32h24"/></g></svg>';

/** What wallets show for the tokens of a vault. */
export interface TokenMetadata {
  /** URI of a picture. */
  readonly image: string;
  /** Address of a vault's page, in which `{id}` stands for its id. */
  readonly page?: string | undefined;
}

/** The picture as a data URI: it needs no server. */
export const defaultImage = `data:image/svg+xml;base64,${Buffer.from(vaultPicture).toString('base64')}`;

/** Address of the page of a vault; undefined when the deployment has none. */
export function vaultPage({ page }: TokenMetadata, vaultId: string): string | undefined {
  return page?.replaceAll('{id}', vaultId);
}
