package dev.berth.cli.exit;

/** Does something when the process is ended from outside, by Ctrl-C for instance, while this is open. */
public final class OnInterrupt implements AutoCloseable {
    private final Thread hook;

    private OnInterrupt(Thread hook) {
        this.hook = hook;
    }

    /** The action must be short, and must not end the process itself. */
    public static OnInterrupt run(Runnable action) {
        Thread hook = new Thread(action, "on-interrupt");
        Runtime.getRuntime().addShutdownHook(hook);
        return new OnInterrupt(hook);
    }

    @Override
    public void close() {
        try {
            boolean removed = Runtime.getRuntime().removeShutdownHook(hook);
            assert removed;
        } catch (IllegalStateException endingAlready) {
            // Then the action is what runs now.
            return;
        }
    }
}
