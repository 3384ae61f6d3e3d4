package dev.berth.server.container.docker;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.model.PullResponseItem;
import com.github.dockerjava.api.model.ResponseItem.ProgressDetail;
import dev.berth.server.container.ContainerEngine.PullListener;
import dev.berth.server.container.EngineException;
import dev.berth.server.container.EngineException.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One pull, its progress summed up over the layers. */
final class DockerPull extends ResultCallback.Adapter<PullResponseItem> {
    private static final long MEGABYTE = 1_000_000;

    private record Layer(long current, long total) {}

    private final PullListener listener;
    private final Map<String, Layer> layers = new HashMap<>();
    private volatile boolean abandoned;
    private volatile @Nullable String refusal;

    DockerPull(PullListener listener) {
        this.listener = listener;
    }

    /** Returns when the image is here. */
    void run(DockerClient docker, String reference, DockerConnection connection) {
        try {
            docker.pullImageCmd(withTag(reference)).exec(this);
            awaitCompletion();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EngineException(Kind.INTERRUPTED, "the pull of " + reference + " was interrupted", e);
        } catch (RuntimeException e) {
            EngineException translated = connection.translated(e);
            throw translated.kind() == Kind.NOT_FOUND
                    ? new EngineException(Kind.REFUSED, translated.sentence(), e)
                    : translated;
        }
        if (abandoned) {
            throw new EngineException(Kind.INTERRUPTED, "the pull of " + reference + " was given up");
        }
        if (refusal != null) {
            throw new EngineException(Kind.REFUSED, refusal);
        }
    }

    /** Without a tag the engine would pull all of them (Engine API, ImageCreate). */
    private static String withTag(String reference) {
        boolean hasTag = reference.lastIndexOf(':') > reference.lastIndexOf('/') || reference.contains("@");
        return hasTag ? reference : reference + ":latest";
    }

    @Override
    public void onNext(PullResponseItem item) {
        if (item.getErrorDetail() != null) {
            refusal = item.getErrorDetail().getMessage();
        }
        ProgressDetail detail = item.getProgressDetail();
        if (item.getId() != null
                && detail != null
                && detail.getTotal() != null
                && detail.getCurrent() != null
                && "Downloading".equals(item.getStatus())) {
            layers.put(item.getId(), new Layer(detail.getCurrent(), detail.getTotal()));
        }
        if (!listener.progressed(progress()) && !abandoned) {
            abandoned = true;
            giveUp();
        }
    }

    private String progress() {
        long current = layers.values().stream().mapToLong(Layer::current).sum();
        long total = layers.values().stream().mapToLong(Layer::total).sum();
        return total == 0 ? "being pulled" : "being pulled, " + current / MEGABYTE + " of " + total / MEGABYTE + " MB";
    }

    private void giveUp() {
        try {
            close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
