package dev.berth.server.notify;

import dev.berth.core.job.Notification;
import dev.berth.server.cgroup.LimitedCgroups.Limits;
import dev.berth.server.config.Keys;
import dev.berth.server.config.Settings;
import dev.berth.server.notify.Receiver.Command;
import dev.berth.server.notify.Receiver.Mail;
import dev.berth.server.notify.Receiver.Webhook;
import dev.berth.server.upkeep.BackgroundWork;
import dev.berth.server.upkeep.Tasks;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * What the administrator lets users have notices sent to.
 *
 * @param commands whose are run
 */
public record NotifyRules(Settings settings, CommandRules commands) {
    /** The limits of a command. */
    public static final Limits COMMAND_LIMITS = new Limits(512L << 20, 64);

    /** The time that a command may take. */
    private static final Duration COMMAND_WITHIN = Duration.ofSeconds(60);

    /** The time that one attempt may take. */
    private static final Duration WITHIN = Duration.ofSeconds(15);

    /** Whether anybody is told of anything. */
    boolean isOn() {
        return settings.get(Keys.NOTIFY);
    }

    /**
     * The rule that a wish breaks, for people; empty where it may be. It tells nothing of the receiver.
     *
     * @param uid the user whose wish it is
     * @param isLocal whether they came by the Unix socket
     */
    public Optional<String> objection(Notification wish, long uid, boolean isLocal) {
        if (!isOn()) {
            return Optional.of("is for notices, and this server sends none (" + Keys.NOTIFY.name() + ")");
        }
        try {
            return switch (Receiver.parse(wish.receiver())) {
                case Webhook hook ->
                    Destinations.of(settings.get(Keys.NOTIFY_ALLOW))
                            .objection(hook.host(), hook.port(), hook.isEncrypted());
                case Mail _ ->
                    settings.find(Keys.MAIL_SERVER) == null
                            ? Optional.of("is mail, and this server sends none (" + Keys.MAIL_SERVER.name() + ")")
                            : Optional.empty();
                case Command _ -> commands.objection(uid, isLocal);
            };
        } catch (IllegalArgumentException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    Senders senders(BackgroundWork background) {
        Tasks watch = background.tasks("ends of attempts to send notices");
        Supplier<SSLSocketFactory> tls = () -> (SSLSocketFactory) SSLSocketFactory.getDefault();
        Destinations destinations = Destinations.of(settings.get(Keys.NOTIFY_ALLOW));
        MailServer mail = mailServer();
        return new Senders(
                new WebhookSender(destinations, tls, WITHIN, watch),
                mail == null ? null : new MailSender(mail, tls, WITHIN, watch),
                new CommandSender(commands, COMMAND_WITHIN));
    }

    private @Nullable MailServer mailServer() {
        String host = settings.find(Keys.MAIL_SERVER);
        String from = settings.find(Keys.MAIL_FROM);
        return host == null || from == null
                ? null
                : new MailServer(
                        host,
                        settings.get(Keys.MAIL_PORT),
                        settings.get(Keys.MAIL_SECURITY),
                        from,
                        settings.find(Keys.MAIL_USER),
                        settings.find(Keys.MAIL_PASSWORD_FILE));
    }

    /** What may be shown of a receiver: enough to recognise it. */
    public static String shownReceiver(String receiver) {
        return Receiver.shown(receiver);
    }

    /** What may be shown of a wish, also of one that is refused: its moments, and enough of its receiver to recognise it. */
    public static String shown(Notification wish) {
        return wish.words() + ":" + Receiver.shown(wish.receiver());
    }
}
