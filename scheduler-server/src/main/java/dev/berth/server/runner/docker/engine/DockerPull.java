package dev.berth.server.runner.docker.engine;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.async.ResultCallback;
import com.github.dockerjava.api.model.PullResponseItem;
import com.github.dockerjava.api.model.ResponseItem.ProgressDetail;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.docker.ContainerEngine.PullListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A pull, its progress summed up over the layers. */
final class DockerPull extends ResultCallback.Adapter<PullResponseItem> {
    /** The time that a pull may say nothing before anybody wonders. */
    private static final Duration QUIET = Duration.ofSeconds(5);

    /** The time that a registry may take for the first that is heard of it: what the image is made of. */
    private static final Duration ANSWER = Duration.ofSeconds(15);

    /**
     * The time in which a pull must bring a megabyte or come to the end of a step: a registry that drips is as one
     * that hangs.
     */
    private static final Duration STANDSTILL = Duration.ofMinutes(5);

    private static final long MEGABYTE = 1_000_000;

    private record Layer(long current, long total) {}

    /** The library's own wait for a time gives the pull up where that time passes. */
    private final CountDownLatch over = new CountDownLatch(1);

    private final AtomicInteger news = new AtomicInteger();
    private final AtomicInteger steps = new AtomicInteger();
    private final PullListener listener;
    private final Map<String, Layer> layers = new ConcurrentHashMap<>();

    /** The step of the engine at each layer, and how far it is at that, in megabytes. */
    private final Map<String, String> layerSteps = new ConcurrentHashMap<>();

    private final Map<String, Long> farthest = new HashMap<>();
    private volatile boolean abandoned;
    private volatile boolean ended;
    private volatile @Nullable String refusal;
    private volatile @Nullable Throwable failure;

    /** The megabytes that it had reached, and when it had come so far; of the thread that waits. */
    private int mark;

    private Duration marked = Duration.ZERO;

    DockerPull(PullListener listener) {
        this.listener = listener;
    }

    /** Returns when the image is here. */
    void run(DockerClient docker, String reference, DockerConnection connection) {
        try {
            int returns = connection.watch().returns();
            docker.pullImageCmd(withTag(reference)).exec(this);
            Duration waited = Duration.ZERO;
            for (int heard = -1; !over.await(QUIET.toSeconds(), TimeUnit.SECONDS); heard = news.get()) {
                waited = waited.plus(QUIET);
                if (heard == news.get()) {
                    requireEngine(reference, connection, returns);
                }
                requireRegistry(waited);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EngineException(Kind.INTERRUPTED, "the pull of " + reference + " was interrupted", e);
        } catch (RuntimeException e) {
            throw translated(connection, e);
        }
        if (abandoned && !ended) {
            throw new EngineException(Kind.INTERRUPTED, "the pull of " + reference + " was given up");
        }
        Throwable failed = failure;
        if (failed != null) {
            throw translated(connection, failed);
        }
        String sentence = refusal;
        if (sentence != null) {
            // It has no status, and its words are the registry's, which may be anybody's.
            throw new EngineException(Kind.FAILING, sentence);
        }
        if (!ended) {
            // A connection that is cut looks like the end; only the engine's last line tells the two apart.
            connection.watch().suspect(connection.clock().instant());
            throw new EngineException(Kind.FAILING, "the pull of " + reference + " broke off");
        }
    }

    /** An image that is not to be had is the registry's answer, and no reason to look for it again. */
    private static EngineException translated(DockerConnection connection, Throwable failure) {
        EngineException translated = connection.translated(failure);
        return translated.kind() == Kind.NOT_FOUND
                ? new EngineException(Kind.REFUSED, translated.sentence(), failure)
                : translated;
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

    /** The engine itself waits for a registry for as long as that likes. */
    private void requireRegistry(Duration waited) {
        if (news.get() == 0 && waited.compareTo(ANSWER) >= 0) {
            giveUp();
            throw new EngineException(
                    Kind.FAILING, "its registry has not answered within " + ANSWER.toSeconds() + " s");
        }
        int now = steps.get();
        if (now != mark || isQueued()) {
            mark = now;
            marked = waited;
        }
        if (waited.minus(marked).compareTo(STANDSTILL) >= 0) {
            giveUp();
            throw new EngineException(
                    Kind.REFUSED, "its registry has brought nothing for " + STANDSTILL.toMinutes() + " minutes");
        }
        if (news.get() > 0) {
            goOnIfWanted();
        }
    }

    /** The engine lets all of its layers wait for those of other pulls, which may be anybody's. */
    private boolean isQueued() {
        return layerSteps.containsValue("Waiting")
                && !layerSteps.containsValue("Downloading")
                && !layerSteps.containsValue("Pulling fs layer");
    }

    /** The reference with a tag: without one the engine would pull all of them (Engine API, ImageCreate). */
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
            refusal = Failures.bounded(String.valueOf(item.getErrorDetail().getMessage()));
        }
        ProgressDetail detail = item.getProgressDetail();
        follow(item, detail);
        if (item.getId() != null
                && detail != null
                && detail.getTotal() != null
                && detail.getCurrent() != null
                && "Downloading".equals(item.getStatus())) {
            layers.put(item.getId(), new Layer(detail.getCurrent(), detail.getTotal()));
        }
        goOnIfWanted();
    }

    /** Gives the pull up where no job wants it any more, without a wait for what the registry says next. */
    private void goOnIfWanted() {
        if (!listener.progressed(progress()) && !abandoned) {
            abandoned = true;
            giveUp();
        }
    }

    /** A step of a layer is news once, and so is each megabyte of it. */
    private void follow(PullResponseItem item, @Nullable ProgressDetail detail) {
        String step = String.valueOf(item.getStatus());
        boolean isNew = !step.equals(layerSteps.put(String.valueOf(item.getId()), step));
        Long current = detail == null ? null : detail.getCurrent();
        long megabytes = current == null ? 0 : current / MEGABYTE;
        if (isNew || megabytes > farthest.getOrDefault(String.valueOf(item.getId()), 0L)) {
            farthest.put(String.valueOf(item.getId()), megabytes);
            steps.incrementAndGet();
        }
    }

    @Override
    public void onComplete() {
        super.onComplete();
        over.countDown();
    }

    /** An answer other than 200, or none. */
    @Override
    public void onError(Throwable thrown) {
        if (failure == null) {
            failure = thrown;
        }
        super.onError(thrown);
        over.countDown();
    }

    private String progress() {
        if (isQueued()) {
            return PullListener.QUEUED;
        }
        long current = layers.values().stream().mapToLong(Layer::current).sum();
        long total = layers.values().stream().mapToLong(Layer::total).sum();
        return total == 0 ? "being pulled" : "being pulled, " + current / MEGABYTE + " of " + total / MEGABYTE + " MB";
    }

    private void giveUp() {
        try {
            close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            over.countDown();
        }
    }
}
