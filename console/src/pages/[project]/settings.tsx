import { useEffect, useState } from "react";
import { useAlive } from "../../parts/alive.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { keysSetting } from "../../parts/keys.ts";
import { exactTime } from "../../parts/moment.tsx";
import { bytes } from "../../parts/numbers.ts";

type Props = PageProps<"/_holdfast/[project]/settings">;

export default function Settings({ data }: Props) {
  const used = data.files.reduce((sum, file) => sum + file.bytes, 0);
  return (
    <main>
      <title>Settings · Holdfast</title>
      <h1>Settings of {data.project.name}</h1>
      {data.dsn && (
        <section aria-labelledby="dsn">
          <h2 id="dsn">Where reports go</h2>
          <p>This application reports by itself. Any other client of the Sentry protocol needs this DSN:</p>
          <p className="digest-box">
            <code className="breaks dsn">{data.dsn}</code> <CopyButton text={data.dsn}>Copy</CopyButton>
          </p>
          <pre className="notice">{`Sentry.init({ dsn: ${JSON.stringify(data.dsn)} });`}</pre>
        </section>
      )}
      <section aria-labelledby="storage">
        <h2 id="storage">What is kept</h2>
        <p>{bytes(used)} in all. The oldest weeks go first when room or time is up.</p>
        <table>
          <thead>
            <tr>
              <th scope="col">File</th>
              <th scope="col">From</th>
              <th scope="col">To</th>
              <th scope="col" className="number">
                Size
              </th>
            </tr>
          </thead>
          <tbody>
            {data.files.map((file) => (
              <tr key={file.name}>
                <th scope="row">{file.name}</th>
                <td>{exactTime(file.from)}</td>
                <td>{exactTime(file.to)}</td>
                <td className="number">{bytes(file.bytes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <Keys />
    </main>
  );
}

function Keys() {
  const alive = useAlive();
  const [isOn, setOn] = useState(true);
  useEffect(() => setOn(localStorage.getItem(keysSetting) !== "off"), []);
  if (!alive) return null;
  const change = (): void => {
    localStorage.setItem(keysSetting, isOn ? "off" : "on");
    setOn(!isOn);
  };
  return (
    <section aria-labelledby="by-key">
      <h2 id="by-key">Keys</h2>
      <label>
        <input type="checkbox" checked={isOn} onChange={change} /> Single keys do things, in this browser
      </label>
    </section>
  );
}
