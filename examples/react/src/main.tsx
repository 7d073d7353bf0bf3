import { useState } from "react";
import { createRoot } from "react-dom/client";

import { RelatedDocuments } from "./RelatedDocuments";

function App() {
  const [id, setId] = useState("en-harbour-v1");
  return (
    <main>
      <h1>Report {id}</h1>
      <RelatedDocuments id={id} onFollow={setId} />
    </main>
  );
}

createRoot(document.getElementById("root")!).render(<App />);
