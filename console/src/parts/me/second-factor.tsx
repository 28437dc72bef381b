import { CopyButton } from "../copy-button.tsx";

interface AppSetUpProps {
  /** To type in. */
  readonly secret: string;
  /** For the app on this device. */
  readonly address: string;
  readonly qr: { readonly size: number; readonly path: string } | undefined;
}

/** What an authenticator app needs, in three forms. */
export function AppSetUp({ secret, address, qr }: AppSetUpProps) {
  return (
    <>
      <p>Scan this with an authenticator app, and type the code that it shows.</p>
      {qr && (
        <svg className="qr" viewBox={`-4 -4 ${qr.size + 8} ${qr.size + 8}`} role="img" aria-label="QR code of the key">
          <path d={qr.path} shapeRendering="crispEdges" />
        </svg>
      )}
      <p className="second">
        Or <a href={address}>open the app on this device</a>, or type the key:
      </p>
      <p className="digest-box">
        <code className="breaks dsn">{secret.replace(/(.{4})(?=.)/g, "$1 ")}</code>{" "}
        <CopyButton text={secret}>Copy</CopyButton>
      </p>
    </>
  );
}

/** Shown once. */
export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  return (
    <div role="status">
      <p>
        The second factor is on. These recovery codes open your account without the app, each once. Keep them where you
        find them without your phone: they are shown only now.
      </p>
      <ul className="plain recovery-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <CopyButton text={codes.join("\n")}>Copy all</CopyButton>
    </div>
  );
}

/** The codes in the result of an action. */
export function codesIn(result: unknown): readonly string[] | undefined {
  if (typeof result !== "object" || result === null || !("recoveryCodes" in result)) return undefined;
  return Array.isArray(result.recoveryCodes) ? result.recoveryCodes.map(String) : undefined;
}
