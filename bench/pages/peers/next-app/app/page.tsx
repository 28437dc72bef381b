import { LinkedHome } from "../linked";

export default function Page() {
  return <LinkedHome />;
}
