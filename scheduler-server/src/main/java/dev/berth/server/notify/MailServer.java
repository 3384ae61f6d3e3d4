package dev.berth.server.notify;

import dev.berth.server.config.MailSecurity;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The administrator's mail server.
 *
 * @param from the address that mail comes from
 * @param user by whom it is sent, null where that need not be said
 * @param passwordFile whose first line is that user's password; read for each mail, and kept nowhere else
 */
record MailServer(
        String host,
        int port,
        MailSecurity security,
        String from,
        @Nullable String user,
        @Nullable Path passwordFile) {}
