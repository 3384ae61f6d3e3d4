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
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** One pull, its progress summed up over the layers. */
final class DockerPull extends ResultCallback.Adapter<PullResponseItem> {
    /** How long a pull may say nothing before anybody wonders. */
    private static final Duration QUIET = Duration.ofSeconds(5);

    private static final long MEGABYTE = 1_000_000;

    private record Layer(long current, long total) {}

    private final AtomicInteger news = new AtomicInteger();
    private final PullListener listener;
    private final Map<String, Layer> layers = new HashMap<>();
    private volatile boolean abandoned;
    private volatile boolean ended;
    private volatile @Nullable String refusal;

    DockerPull(PullListener listener) {
        this.listener = listener;
    }

    /** Returns when the image is here. */
    void run(DockerClient docker, String reference, DockerConnection connection) {
        try {
            int returns = connection.watch().returns();
            docker.pullImageCmd(withTag(reference)).exec(this);
            for (int heard = -1; !awaitCompletion(QUIET.toSeconds(), TimeUnit.SECONDS); heard = news.get()) {
                if (heard == news.get()) {
                    requireEngine(reference, connection, returns);
                }
            }
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
        String sentence = refusal;
        if (sentence != null) {
            throw new EngineException(Failures.kindOfPull(sentence), sentence);
        }
        if (!ended) {
            // A connection that is cut looks like the end; only the engine's last line tells the two apart.
            connection.watch().suspect(connection.clock().instant());
            throw new EngineException(Kind.FAILING, "the pull of " + reference + " broke off");
        }
    }

    /** Nothing was heard for a while: an engine that went away and came back does not go on with it. */
    private void requireEngine(String reference, DockerConnection connection, int returns) {
        connection.watch().suspect(connection.clock().instant());
        if (connection.watch().returns() != returns) {
            giveUp();
            throw new EngineException(
                    Kind.UNREACHABLE, "the engine was away during the pull of " + reference + ", which is begun anew");
        }
    }

    /** Without a tag the engine would pull all of them (Engine API, ImageCreate). */
    private static String withTag(String reference) {
        boolean hasTag = reference.lastIndexOf(':') > reference.lastIndexOf('/') || reference.contains("@");
        return hasTag ? reference : reference + ":latest";
    }

    @Override
    public void onNext(PullResponseItem item) {
        news.incrementAndGet();
        if (String.valueOf(item.getStatus()).startsWith("Status: ")) {
            ended = true;
        }
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
