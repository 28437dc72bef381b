import { CopyButton } from "../copy-button.tsx";

/** The code that the visitor read, in the same size. */
export function DigestBox({ digest }: { digest: string }) {
  return (
    <p className="digest-box">
      <span className="second">Digest</span> <code>{digest}</code> <CopyButton text={digest}>Copy</CopyButton>
    </p>
  );
}
