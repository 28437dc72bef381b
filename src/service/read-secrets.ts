import { serviceErrors } from "./errors.ts";

/** As many random characters cannot be guessed. */
const fewestCharacters = 32;

/** Reads the secret that several machines share. Undefined if each has a key of its own. */
export function readSecret({ HOLDFAST_SECRET: secret }: NodeJS.ProcessEnv): string | undefined {
  if (secret !== undefined && secret.length < fewestCharacters)
    throw serviceErrors.secretTooShort(secret.length, fewestCharacters);
  return secret;
}

/** Reads the secrets before it, which are separated by spaces. */
export function readEarlierSecrets({ HOLDFAST_SECRET_BEFORE: text = "" }: NodeJS.ProcessEnv): readonly string[] {
  const secrets = text.split(/\s+/).filter((one) => one !== "");
  const short = secrets.find(({ length }) => length < fewestCharacters);
  if (short !== undefined) throw serviceErrors.earlierSecretTooShort(short.length, fewestCharacters);
  return secrets;
}
