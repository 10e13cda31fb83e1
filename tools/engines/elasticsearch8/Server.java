import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.elasticsearch.common.logging.LogConfigurator;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.env.Environment;
import org.elasticsearch.http.HttpServerTransport;
import org.elasticsearch.node.InternalSettingsPreparer;
import org.elasticsearch.node.Node;
import org.elasticsearch.plugins.PluginsLoader;

/** One node of Elasticsearch 8 from its distribution on Maven Central: arguments HOME PORT, 0 for a free port. */
public final class Server {
    public static void main(String[] arguments) throws Exception {
        LogConfigurator.configureESLogging();
        Environment environment = InternalSettingsPreparer.prepareEnvironment(
            Settings.EMPTY, Ready.node(arguments[0], arguments[1]), null, () -> "engine");
        PluginsLoader modules = PluginsLoader.createPluginsLoader(
            PluginsLoader.loadModulesBundles(environment.modulesDir()), Set.of(), Map.of());
        try (Node node = new Node(environment, modules)) {
            node.start();
            HttpServerTransport http = node.injector().getInstance(HttpServerTransport.class);
            Ready.until(Path.of(arguments[0]), http.boundAddress().publishAddress().getPort());
        }
    }
}
