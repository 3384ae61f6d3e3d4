package dev.berth.server.logging;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code %ex} of {@code logback.xml}: a stack trace whose lines are its own, and none a message's. */
public final class VisibleThrowable extends ThrowableProxyConverter {
    @Override
    protected String throwableProxyToString(IThrowableProxy thrown) {
        return super.throwableProxyToString(new Visible(thrown));
    }

    /** The throwable with each message on one line. */
    private record Visible(IThrowableProxy thrown) implements IThrowableProxy {
        private static @Nullable String visible(@Nullable String text) {
            return text == null ? null : VisibleText.of(text);
        }

        @Override
        public @Nullable String getOverridingMessage() {
            return visible(thrown.getOverridingMessage());
        }

        @Override
        public @Nullable String getMessage() {
            return visible(thrown.getMessage());
        }

        @Override
        public String getClassName() {
            return thrown.getClassName();
        }

        @Override
        public StackTraceElementProxy[] getStackTraceElementProxyArray() {
            return thrown.getStackTraceElementProxyArray();
        }

        @Override
        public int getCommonFrames() {
            return thrown.getCommonFrames();
        }

        @Override
        public @Nullable IThrowableProxy getCause() {
            IThrowableProxy cause = thrown.getCause();
            return cause == null ? null : new Visible(cause);
        }

        @Override
        public IThrowableProxy[] getSuppressed() {
            IThrowableProxy[] suppressed = thrown.getSuppressed();
            return suppressed == null
                    ? new IThrowableProxy[0]
                    : Stream.of(suppressed).map(Visible::new).toArray(IThrowableProxy[]::new);
        }

        @Override
        public boolean isCyclic() {
            return thrown.isCyclic();
        }
    }
}
