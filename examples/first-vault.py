"""
Your first vault: log in a wallet, create a vault, deposit an NFT, invest ADA, let a week pass, and see the vault settle.
Run it while `npm start` runs: python3 examples/first-vault.py (Python 3.8 or later, no packages)
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request

stack_file = os.path.join(os.environ.get("DATA_DIR", ".data"), "stack.json")
if not os.path.exists(stack_file):
    sys.exit(f"{stack_file} does not exist. Run `npm start` first, and leave it running.")
with open(stack_file) as file:
    stack = json.load(file)
api_url, admin_key, frontend_key = stack["apiUrl"], stack["adminKey"], stack["frontendKey"]


def request(method, path, key, token=None, body=None):
    """Sends one request and returns the parsed body. Every error has the same shape, so its code and details are enough."""
    headers = {"X-API-Key": key, "Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(api_url + path, data, headers, method=method)) as response:
            return json.load(response)
    except urllib.error.HTTPError as response:
        error = json.load(response)["error"]
        sys.exit(f"{method} {path}: {error['code']} {json.dumps(error.get('details', {}))}")
    except urllib.error.URLError:
        sys.exit(f"{api_url} does not respond. Run `npm start` first, and leave it running.")


# Development only: a simulated wallet, test funds and a movable clock. These calls need the ADMIN key.
def dev(path, body=None):
    return request("POST", f"/dev{path}", admin_key, body=body or {})


# 1. A wallet with 1,000 ADA and one NFT. In production this is the user's own CIP-30 wallet.
address = dev("/wallets")["address"]
asset_name = f"Loft{time.time_ns() // 1_000_000}"
assets = [{"assetName": asset_name, "quantity": 1}]
policy_id = dev("/faucet", {"address": address, "lovelace": 1_000_000_000, "assets": assets})["policyId"]

# 2. Log in: the wallet signs a nonce and gets a session token.
nonce = request("POST", "/api/v1/auth/nonces", frontend_key, body={"address": address})["data"]["nonce"]
timestamp = time.time_ns() // 1_000_000
signature = dev(f"/wallets/{address}/sign-data", {"payload": f"{nonce}:{timestamp}".encode().hex()})
login = {"address": address, "nonce": nonce, "timestamp": timestamp, **signature}
token = request("POST", "/api/v1/auth/sessions", frontend_key, body=login)["data"]["token"]
print(f"Logged in {address}")


def get(path):
    return request("GET", f"/api/v1{path}", frontend_key, token)["data"]


def post(path, body):
    return request("POST", f"/api/v1{path}", frontend_key, token, body)


def sign(tx_hash, tx):
    """Signs a transaction with the wallet, submits the signature, and waits until the transaction is in a block."""
    post(f"/transactions/{tx_hash}/witnesses", dev(f"/wallets/{address}/sign-tx", {"tx": tx}))
    while (status := get(f"/transactions/{tx_hash}")["status"]) not in ("confirmed", "final"):
        if status in ("expired", "failed"):
            sys.exit(f"Transaction {tx_hash} {status}")
        time.sleep(0.5)


# 3. Create a vault. Both windows open now and stay open for a week.
thresholds = {"creation": 1, "start": 5, "vote": 30, "execution": 51, "cosigning": 10}
vault_id = post("/vaults", {
    "vault_name": "Harbour Loft",
    "vault_type": "PUBLIC",
    "admin_user": {"wallet_address": address},
    "asset_settings": {"allowed_asset_types": ["NFT"], "valuation_type": "LBE"},
    "investment_settings": {
        "investment_window_duration": "168h", "minimum_investment_reserve": 20,
        "ft_supply": 1_000_000, "ft_token_decimals": 6, "lp_percentage": 10,
    },
    "governance_settings": {f"{name}_threshold": percent for name, percent in thresholds.items()},
})["vault_id"]
print(f"Created vault {vault_id}")

# 4. Deposit the NFT, then invest 500 ADA. Both return an unsigned transaction for the wallet to sign.
deposit = post(f"/vaults/{vault_id}/assets", {"policy_id": policy_id, "asset_name": asset_name})["transaction"]
sign(deposit["tx_hash"], deposit["unsigned_tx"])
print("The NFT is in the vault")
investment = post(f"/vaults/{vault_id}/investments", {"lovelace": 500_000_000})["data"]["transaction"]
sign(investment["hash"], investment["unsignedTx"])
print("500 ADA are invested")

# 5. Let the week pass. In production, you would wait for the event VAULT_STATUS_CHANGED instead of polling.
dev("/clock/advance", {"seconds": 7 * 24 * 60 * 60})
while (status := get(f"/vaults/{vault_id}")["status"]) == "ACTIVE":
    time.sleep(1)
print(f"The vault is {status}")

# 6. Who got what.
for share in get(f"/vaults/{vault_id}/entitlements")["entitlements"]:
    tokens, ada = int(share["ftBaseUnits"]) / 1e6, int(share["lovelaceOwed"] or 0) / 1e6
    print(f"The {share['depositKind']} gets {tokens:.10g} FT and {ada:.10g} ADA")
