// The functions of api.h are called from the page.
int main() { return 0; }
