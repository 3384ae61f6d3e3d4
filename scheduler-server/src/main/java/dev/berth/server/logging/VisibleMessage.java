package dev.berth.server.logging;

import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;

/** {@code %msg} of {@code logback.xml}: the message, on one line. */
public final class VisibleMessage extends ClassicConverter {
    @Override
    public String convert(ILoggingEvent event) {
        return VisibleText.of(String.valueOf(event.getFormattedMessage()));
    }
}
