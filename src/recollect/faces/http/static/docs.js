// Swagger UI over the API's own description; requests go out in the name of who is signed in.
"use strict";

const api = document.getElementById("api");
SwaggerUIBundle({
  url: api.dataset.description,
  dom_id: "#api",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  requestInterceptor: (request) => {
    if (api.dataset.formToken && !request.headers.Authorization) request.headers["x-form-token"] = api.dataset.formToken;
    return request;
  },
});
