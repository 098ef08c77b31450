import {
  AlgorithmId,
  CBORValue,
  COSESign1Builder,
  EdDSA25519Key,
  HeaderMap,
  Headers as CoseHeaders,
  Label,
  ProtectedHeaderMap,
} from '@emurgo/cardano-message-signing-nodejs';
import {
  BaseAddress,
  Credential,
  EnterpriseAddress,
  PrivateKey,
  RewardAddress,
} from '@emurgo/cardano-serialization-lib-nodejs';

export interface SignOptions {
  /** Address in the protected header; by default the signing address. */
  header?: string;
  with?: PrivateKey;
  /** Signs the hash of the payload, as hardware wallets do. */
  hashed?: boolean;
  algorithm?: AlgorithmId;
  change?: (headers: { signed: HeaderMap; unsigned: HeaderMap }) => void;
}

/** A CIP-30 wallet with a payment and a stake key; Emurgo's library builds its messages. */
export function signingWallet({ network = 0, payment = newKey(), stake = newKey() } = {}) {
  const paymentPart = credential(payment);
  const stakePart = credential(stake);
  const base = BaseAddress.new(network, paymentPart, stakePart).to_address();
  const enterprise = EnterpriseAddress.new(network, paymentPart).to_address();
  const reward = RewardAddress.new(network, stakePart).to_address();
  const bytes = new Map([base, enterprise, reward].map((address) => [address.to_bech32(), address.to_bytes()]));
  return {
    address: base.to_bech32(),
    enterprise: enterprise.to_bech32(),
    reward: reward.to_bech32(),
    payment,
    stake,
    keyHash: payment.to_public().hash().to_hex(),
    stakeKeyHash: stake.to_public().hash().to_hex(),
    /** `signData` of CIP-30: {signature, key}. */
    signData(address: string, payload: string, options: SignOptions = {}) {
      const key = options.with ?? (address === reward.to_bech32() ? stake : payment);
      return signData(key, bytes.get(options.header ?? address)!, payload, options);
    },
  };
}

/** Returns the CIP-30 signature of `payload` by `key` for the address of these bytes. */
export function signData(key: PrivateKey, address: Uint8Array, payload: string, options: SignOptions = {}) {
  const signed = HeaderMap.new();
  signed.set_algorithm_id(Label.from_algorithm_id(options.algorithm ?? AlgorithmId.EdDSA));
  signed.set_header(Label.new_text('address'), CBORValue.new_bytes(address));
  const unsigned = HeaderMap.new();
  options.change?.({ signed, unsigned });
  const builder = COSESign1Builder.new(
    CoseHeaders.new(ProtectedHeaderMap.new(signed), unsigned),
    Buffer.from(payload),
    false,
  );
  if (options.hashed) builder.hash_payload();
  const message = builder.build(key.sign(builder.make_data_to_sign().to_bytes()).to_bytes());
  return { signature: hex(message.to_bytes()), key: publicKeyOf(key) };
}

/** Returns the COSE_Key of a key's public key. */
export function publicKeyOf(key: PrivateKey): string {
  return hex(EdDSA25519Key.new(key.to_public().as_bytes()).build().to_bytes());
}

const newKey = () => PrivateKey.generate_ed25519();
const credential = (key: PrivateKey) => Credential.from_keyhash(key.to_public().hash());
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
