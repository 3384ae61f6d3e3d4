package dev.berth.cli.command.submit;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.client.http.RequestBody;
import dev.berth.cli.command.Session;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.output.ProgressBar;
import dev.berth.cli.snapshot.DirectoryLimits;
import dev.berth.cli.snapshot.GitTree;
import dev.berth.cli.snapshot.Progress;
import dev.berth.cli.snapshot.Snapshot;
import dev.berth.cli.snapshot.SnapshotPlan;
import dev.berth.core.api.SnapshotView;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** Brings a directory to the server: what it holds, and then what of it the server lacks. */
public record Upload(BerthClient client, Session session) {
    /** The server asks for ten thousand at a time, and may have to ask again for what it swept meanwhile. */
    private static final int MAX_ROUNDS = 32;

    private static final String INVALID_CONTENT = "INVALID_CONTENT";

    /** Sends a directory, and answers the snapshot's name. */
    String of(SnapshotPlan plan) throws IOException {
        session.trace("reading " + plan.files() + " files (" + DirectoryLimits.inWords(plan.bytes()) + ") of "
                + plan.root() + (plan.skipped().isEmpty() ? "" : ", without " + String.join(", ", plan.skipped())));
        try (ProgressBar progress = session.progress()) {
            Snapshot snapshot = Snapshot.of(plan, GitTree.ask(plan.root(), session::trace), progress);
            return send(snapshot, progress);
        }
    }

    private String send(Snapshot snapshot, Progress progress) throws IOException {
        SnapshotView view = client.manifest(new Body("application/json", snapshot::writeManifest));
        for (int round = 0; round < MAX_ROUNDS && !view.missing().isEmpty(); round++) {
            List<String> missing = view.missing();
            for (String digest : missing) {
                if (!snapshot.has(digest)) {
                    throw Failure.badAnswer("it asks for the content " + digest + ", which is not in the directory");
                }
            }
            session.trace("sending " + missing.size() + " contents (" + DirectoryLimits.inWords(snapshot.size(missing))
                    + ") that the server lacks");
            view = contents(view.snapshot(), snapshot, missing, progress);
        }
        if (!view.missing().isEmpty()) {
            throw Failure.badAnswer(
                    "it still lacks " + view.missing().size() + " contents after " + MAX_ROUNDS + " times");
        }
        return view.snapshot();
    }

    private SnapshotView contents(String id, Snapshot snapshot, List<String> missing, Progress progress)
            throws IOException {
        try {
            return client.contents(
                    id, new Body("application/octet-stream", out -> snapshot.writeContents(missing, out, progress)));
        } catch (Failure refused) {
            String digest = refused.error().details().get("digest");
            if (refused.error().code().equals(INVALID_CONTENT) && digest != null && snapshot.has(digest)) {
                throw Failure.usage(snapshot.name(digest) + " changed while it was being read (its content is not what"
                        + " it was); nothing was submitted, try again when it rests");
            }
            throw refused;
        }
    }

    /** Writes all of a body. */
    private interface Writer {
        void writeTo(OutputStream out) throws IOException;
    }

    private record Body(String type, Writer writer) implements RequestBody {
        @Override
        public void writeTo(OutputStream out) throws IOException {
            writer.writeTo(out);
        }
    }
}
