import "es-simhash-related-documents";
import type {} from "es-simhash-related-documents/react";

interface Props {
  id: string;
  onFollow: (title: string) => void;
}

/** The box with the versions and neighbours of a document. */
export function RelatedDocuments({ id, onFollow }: Props) {
  return (
    <related-documents
      src="http://127.0.0.1:8000"
      document-id={id}
      link-pattern="#{id}"
      strings={{ versions: "Earlier and later reports" }}
      onrelated-click={(event) => onFollow(event.detail.id)}
    />
  );
}
