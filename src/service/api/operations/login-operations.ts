export interface LoginOperations {
  "POST /logins": {
    body: { readonly code: string; readonly verifier: string };
    response: { readonly token: string; readonly name: string; readonly expires?: number | undefined };
  };
  "POST /logins/end": { body: { readonly token: string } };
}
