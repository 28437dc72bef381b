import { AppLink } from "../link";
import { Home } from "../shared/pages";

export default function Page() {
  return <Home Link={AppLink} />;
}
