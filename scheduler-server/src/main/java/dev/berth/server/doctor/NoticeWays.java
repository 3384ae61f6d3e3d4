package dev.berth.server.doctor;

import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Ways in which a server sends notices, or would.
 *
 * @param isOn whether it sends any
 * @param mailServer the name of the mail server; null where there is none
 * @param whyNoCommands why it could run no commands of users; empty where it could. It tries
 */
public record NoticeWays(
        boolean isOn, @Nullable String mailServer, int mailPort, Supplier<Optional<String>> whyNoCommands) {}
